"""Chunks of recordings (`realtime/record_chunks.py`), read again by the readers of the package mcap."""

import numpy as np
import pytest

from symbody.links.message_template import topic_template
from symbody.links.topics import topics
from symbody.realtime.record import CHUNK, Recorder

reader = pytest.importorskip("mcap.reader")
STREAMS = {
    "arm": [f"{joint}.{what}" for joint in ("shoulder", "elbow") for what in ("q", "qd", "Q")] + ["tool.x"],
    "valve": ["u", "p1", "p2"],
}
START, ROWS = 1_700_000_000_123_456_789, 4000  # ns since 1970


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    """A recording of two streams in turn, and its values by stream."""
    path, rng = tmp_path_factory.mktemp("recording") / "two.mcap", np.random.default_rng(4)
    given = {stream: rng.normal(size=(ROWS, len(channels))) for stream, channels in STREAMS.items()}
    with Recorder(path, STREAMS) as recorder:
        for k in range(ROWS):
            for stream, values in given.items():
                recorder.write(stream, values[k], START + 1_000_000 * k)
    assert (recorder.lost, recorder.failed) == (0, "")
    return path, given


def messages_of(path, kind, **options):
    """Times and data of all messages by topic, in their order."""
    found = {}
    with open(path, "rb") as file:
        for _, channel, message in kind(file, validate_crcs=True).iter_messages(**options):
            found.setdefault(channel.topic, []).append((message.log_time, message.publish_time, message.data))
    return found


@pytest.mark.parametrize("kind", [reader.SeekingReader, reader.NonSeekingReader])
def test_other_readers_find_every_value_at_its_time(recording, kind):
    path, given = recording
    found = messages_of(path, kind)
    for stream, channels in STREAMS.items():
        for topic in topics(channels, stream):
            template, columns = topic_template(topic), [channels.index(channel) for channel in topic.channels]
            times, published, data = zip(*found[f"/{topic.name}"], strict=True)
            assert times == published == tuple(START + 1_000_000 * k for k in range(ROWS))
            read = np.array([template.read(one) for one in data])
            np.testing.assert_array_equal(read, given[stream][:, columns])


def test_the_index_leads_to_a_span_of_time_and_the_summary_counts(recording):
    path, _ = recording
    begin, end = START + 1_000_000 * 2500, START + 1_000_000 * 2600
    found = messages_of(path, reader.SeekingReader, starting_at=begin, ending_before=end)
    assert {len(rows) for rows in found.values()} == {100}
    assert min(rows[0][0] for rows in found.values()) == begin
    with open(path, "rb") as file:
        summary = reader.SeekingReader(file).get_summary()
    assert set(summary.statistics.channel_message_counts.values()) == {ROWS}
    assert summary.statistics.message_start_time == START
    assert len(summary.chunk_indexes) == summary.statistics.chunk_count > 5
    assert all(chunk.uncompressed_size < 2 * CHUNK for chunk in summary.chunk_indexes)


def test_a_template_fills_many_messages_as_one():
    (topic, *_) = topics(["a.q", "b.q"], "robot")
    template, times = topic_template(topic), np.array([5, 3_000_000_007], np.uint64)
    values = np.random.default_rng(0).normal(size=(2, len(topic.channels)))
    rows = template.filled_rows(values, times)
    assert [row.tobytes() for row in rows] == [
        template.filled(one, int(t)) for one, t in zip(values, times, strict=True)
    ]

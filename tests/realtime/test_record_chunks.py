"""Chunks of recordings (`realtime/record_chunks.py`), read again by the readers of the package mcap."""

import struct
import zlib
from io import BytesIO

import numpy as np
import pytest

from symbody.links.message_template import topic_template
from symbody.links.topics import topics
from symbody.realtime import record
from symbody.realtime.record import CHUNK, Recorder

reader = pytest.importorskip("mcap.reader")
stream_reader = pytest.importorskip("mcap.stream_reader")
zstandard = pytest.importorskip("zstandard")
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


def records_of(data):
    """Each record of a file with its place, by the reader of the package mcap; chunks are left whole."""
    source = BytesIO(data)
    found, records = [], stream_reader.StreamReader(source, emit_chunks=True).records
    place = 8  # behind the magic
    for one in records:
        found.append((place, one))
        place = source.tell()
    return found


def made(streams, rows, chunk, monkeypatch, at_once=1):
    """The bytes of a recording with chunks of a size, written some rows at a time."""
    monkeypatch.setattr(record, "CHUNK", chunk)
    file = BytesIO()
    writer = record._Streams(file, streams)
    for stream, channels in streams.items():
        values = np.random.default_rng(3).normal(size=(rows, len(channels)))
        for k in range(0, rows, at_once):
            writer.write(stream, values[k : k + at_once], START + 1000 * np.arange(k, min(k + at_once, rows)))
    writer.writer.finish()
    return file.getvalue()


def test_the_index_of_a_chunk_leads_to_each_of_its_messages(monkeypatch):
    data = made(STREAMS, 20, 2000, monkeypatch)
    chunks = [one for _, one in records_of(data) if type(one).__name__ == "ChunkIndex"]
    assert len(chunks) > 3
    for chunk in chunks:
        at = chunk.chunk_start_offset
        assert (data[at], struct.unpack_from("<Q", data, at + 1)[0]) == (0x06, chunk.chunk_length - 9)
        (packed,) = (one for place, one in records_of(data) if place == at)
        content, end = zstandard.decompress(packed.data), at + chunk.chunk_length
        assert min(chunk.message_index_offsets.values()) == end
        for channel, place in chunk.message_index_offsets.items():
            opcode, length, number, size = struct.unpack_from("<BQHI", data, place)
            assert (opcode, length, number) == (0x07, size + 6, channel)
            entries = np.frombuffer(data, "<u8", size // 8, place + 15).reshape(-1, 2)
            for time, offset in entries.tolist():
                kind, _, its, _, logged = struct.unpack_from("<BQHIQ", content, offset)
                assert (kind, its, logged) == (0x05, channel, time)
            end += 15 + size
        assert end == at + chunk.chunk_length + chunk.message_index_length


def test_the_summary_gives_the_places_of_its_parts_and_a_checksum(monkeypatch):
    data = made(STREAMS, 20, 3000, monkeypatch)
    places = dict(records_of(data))
    kinds = [type(one).__name__ for one in places.values()]
    (end,) = (one for one in places.values() if type(one).__name__ == "DataEnd")
    assert end.data_section_crc == 0  # not computed
    footer = next(one for one in places.values() if type(one).__name__ == "Footer")
    offsets = [one for one in places.values() if type(one).__name__ == "SummaryOffset"]
    place = footer.summary_start
    for offset in offsets:
        assert offset.group_start == place
        assert data[place] == offset.group_opcode
        place += offset.group_length
    assert place == footer.summary_offset_start
    assert footer.summary_crc == zlib.crc32(data[footer.summary_start : -12])
    (counts,) = (one for one in places.values() if type(one).__name__ == "Statistics")
    assert (counts.attachment_count, counts.metadata_count, counts.chunk_count) == (0, 0, kinds.count("ChunkIndex"))
    schemas = {one.id for one in places.values() if type(one).__name__ == "Schema"}
    assert schemas == set(range(1, counts.schema_count + 1))


def test_a_recording_without_samples_has_no_times(monkeypatch):
    places = records_of(made(STREAMS, 0, 3000, monkeypatch))
    (counts,) = (one for _, one in places if type(one).__name__ == "Statistics")
    assert (counts.message_start_time, counts.message_end_time, counts.message_count) == (0, 0, 0)


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_a_chunk_is_full_when_no_further_row_fits(monkeypatch, rows):
    streams = {"arm": ["arm.q"]}
    begun = record._Streams(BytesIO(), streams)
    chunk = begun.writer.size + rows * begun._layouts["arm"].size
    found = [one for _, one in records_of(made(streams, 10, chunk, monkeypatch)) if type(one).__name__ == "Chunk"]
    assert found[0].uncompressed_size == chunk
    assert all(one.uncompressed_size <= chunk for one in found)


def test_a_row_that_is_longer_than_a_chunk_is_a_chunk(monkeypatch):
    data = made({"arm": ["arm.q"]}, 5, 1, monkeypatch, at_once=5)
    (counts,) = (one for _, one in records_of(data) if type(one).__name__ == "Statistics")
    assert (counts.chunk_count, counts.message_count) == (5, 5)


def test_a_template_fills_many_messages_as_one():
    (topic, *_) = topics(["a.q", "b.q"], "robot")
    template, times = topic_template(topic), np.array([5, 3_000_000_007], np.uint64)
    values = np.random.default_rng(0).normal(size=(2, len(topic.channels)))
    rows = template.filled_rows(values, times)
    assert [row.tobytes() for row in rows] == [
        template.filled(one, int(t)) for one, t in zip(values, times, strict=True)
    ]

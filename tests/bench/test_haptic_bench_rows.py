"""Ticks of haptic scenes beside peers, as `symbody bench --haptic` measures them (symbody_bench/haptic.py)."""

import json

from symbody_bench.haptic import haptic_bench
from symbody_bench.haptic_boxes import COUNT, EDGE, PUSH, boxes


def test_boxes_touch_at_four_points_each_and_stand():
    scene = boxes()
    log = scene.run(0.5, PUSH)
    assert log["contacts"][-1] == 4 * COUNT
    assert abs(scene.q.reshape(COUNT, 7)[:, 2] - EDGE / 2).max() < 1e-3
    assert abs(scene.v).max() < 1e-3


def test_rows_of_ours_and_of_peers(tmp_path):
    found = haptic_bench(tmp_path, seconds=0.02)
    named = {(row["scene"], row["method"]) for row in found["haptic"]}
    assert {("corner", "ours, impulse"), ("boxes", "ours, impulse"), ("boxes", "MuJoCo, scene alone")} <= named
    assert all(0.0 < row["p50_us"] <= row["p99_us"] for row in found["haptic"])
    assert json.loads((tmp_path / "haptic.json").read_text()) == found["haptic"]

"""The row of the workspace scan: all ways take the same grid, and their figures belong together."""

from symbody.machines.platform.data import platform_data
from symbody_bench import workspace_scan


def test_records_of_a_small_scan(monkeypatch):
    monkeypatch.setattr(workspace_scan, "PLACES", (8, 8, 6))
    records = workspace_scan.scan_records(poses=3000)
    assert [record["engine"].split(",")[0] for record in records][-1] == "NumPy"
    assert all(record["poses_per_s"] > 0 for record in records)
    assert records[0]["poses"] == workspace_scan.grid_of(3000, platform_data()).poses == 8 * 8 * 6 * 8

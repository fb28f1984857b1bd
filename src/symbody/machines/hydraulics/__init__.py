"""What several hydraulic machines share: beams, the drive of one cylinder, cases by closure and friction, plots."""

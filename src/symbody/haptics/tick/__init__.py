"""The tick of a haptic scene in C: contacts, impacts, controller and device, in memory of fixed size."""

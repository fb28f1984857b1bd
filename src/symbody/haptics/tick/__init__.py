"""The tick of a haptic scene in C: contacts, impacts, controller and device, over memory of one size."""

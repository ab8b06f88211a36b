"""The probe: finds out how a model writes boxes, from what it answers about the eye chart."""

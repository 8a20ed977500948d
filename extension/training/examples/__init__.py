"""Small models to train on the device."""

"""Facts about objects: device, grad, identity, history; with join."""

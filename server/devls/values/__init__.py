"""What can be true of an object: device, grad, identity, history; with join."""

"""Effects of operations on tensors: devices, dtypes, shapes, memory."""

class Engine:
    """Owns the loop: counts, clears, steps."""

    def __init__(self, optimizer, every=1):
        self.optimizer = optimizer
        self.every = every
        self.calls = 0

    def backward(self, loss):
        (loss / self.every).backward()
        self.calls += 1

    def step(self):
        if self.calls % self.every == 0:
            self.optimizer.step()
            self.optimizer.zero_grad(set_to_none=True)

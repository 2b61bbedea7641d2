class Sampler:
    """Nothing here is a tensor."""

    def __init__(self):
        self.device, self.loss, self.n = "cpu", 0.0, 0

    def to(self, device):
        self.device = device

    def cpu(self):
        return Sampler()

    def step(self):
        self.loss += 0.5
        self.n += 1

    def backward(self):
        self.loss -= 0.1


def total(samplers):
    out = 0
    for s in samplers:
        s.cpu()
        s.backward()
        s.backward()
        out += s.loss
    return out

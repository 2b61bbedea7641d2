import torch


class Sines:
    def __init__(self, device):
        self.device = device

    def sample(self, shots):
        amp = torch.rand(1, device=self.device) * 4 + 1
        phase = torch.rand(1, device=self.device) * torch.pi
        x = torch.rand(2 * shots, 1, device=self.device) * 10 - 5
        y = amp * torch.sin(x + phase)
        return (x[:shots], y[:shots]), (x[shots:], y[shots:])

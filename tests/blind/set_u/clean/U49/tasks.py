import torch


def sinusoid(device, shots=8):
    amp = 0.5 + 4 * torch.rand(1, device=device)
    phase = 3.14 * torch.rand(1, device=device)

    def draw():
        x = 10 * torch.rand(shots, 1, device=device) - 5
        return x, amp * torch.sin(x + phase)

    return draw(), draw()

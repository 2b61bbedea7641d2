import numpy as np
import torch
import torch.nn as nn


def pick_device():
    for name, module in (("cuda", torch.cuda), ("mps", torch.backends.mps)):
        if module.is_available():
            return torch.device(name)
    return torch.device("cpu")


def orbits(n=200):
    rng = np.random.default_rng(5)
    radius = rng.uniform(1.0, 4.0, size=n)
    speed = radius ** -1.5
    return np.column_stack([np.log(radius), rng.normal(0, 0.01, n)]), np.log(speed)


def to_tensor(array, device):
    tensor = torch.from_numpy(array)
    if device.type == "mps":
        tensor = tensor.to(torch.float32)
    return tensor.to(device)


def linear_fit(x, y):
    """Exact solution in double precision, on the host."""
    a = torch.cat([x.cpu().double(), torch.ones(len(x), 1, dtype=torch.float64)], dim=1)
    return torch.linalg.lstsq(a, y.cpu().double()[:, None]).solution.squeeze(1)


def main():
    device = pick_device()
    x, y = orbits()
    x, y = to_tensor(x, device), to_tensor(y, device)
    reference = linear_fit(x, y)
    model = nn.Linear(2, 1).to(device=device, dtype=x.dtype)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
    for step in range(30):
        loss = nn.functional.mse_loss(model(x).squeeze(1), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    slope = model.weight.detach().cpu().double()[0, 0]
    print("slope", slope.item(), "exact", reference[0].item())


if __name__ == "__main__":
    main()

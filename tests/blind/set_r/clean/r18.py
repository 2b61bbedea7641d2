import copy
import os
import tempfile

import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(6, 12)
        self.b = nn.Linear(12, 2)

    def forward(self, x):
        return self.b(torch.tanh(self.a(x)))


def export(model, path):
    cpu_model = copy.deepcopy(model).to("cpu").eval()
    with torch.no_grad():
        reference = cpu_model(torch.ones(1, 6))
    torch.save({"state": cpu_model.state_dict(), "reference": reference}, path)
    return reference


def check_on_host(model, path):
    """Runs the network itself on the host and brings it back."""
    stored = torch.load(path, map_location="cpu", weights_only=True)
    model.to("cpu")
    model.load_state_dict(stored["state"])
    with torch.no_grad():
        same = torch.allclose(model(torch.ones(1, 6)), stored["reference"], atol=1e-5)
    model.to(device)
    return same


model = Mlp().to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
path = os.path.join(tempfile.mkdtemp(), "mlp.pt")
for step in range(4):
    x = torch.randn(10, 6, device=device)
    y = torch.randint(0, 2, (10,), device=device)
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    reference = export(model, path)
    print(step, loss.item(), reference.tolist(), check_on_host(model, path))

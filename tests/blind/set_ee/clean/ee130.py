import torch
import torch.nn as nn
import torch.nn.functional as F


class Probe:
    """Records activations and their gradients of chosen layers."""

    def __init__(self, model, names):
        self.acts, self.grads, self.handles = {}, {}, []
        modules = dict(model.named_modules())
        for name in names:
            self.handles.append(modules[name].register_forward_hook(self._hook(name)))

    def _hook(self, name):
        def forward_hook(module, inputs, output):
            self.acts[name] = output.detach().cpu()
            if output.requires_grad:
                output.register_hook(lambda g: self.grads.__setitem__(name, g.detach().cpu()))
        return forward_hook

    def close(self):
        for h in self.handles:
            h.remove()


class Residual(nn.Module):
    def __init__(self, ch):
        super().__init__()
        self.conv1 = nn.Conv2d(ch, ch, 3, padding=1)
        self.conv2 = nn.Conv2d(ch, ch, 3, padding=1)

    def forward(self, x):
        out = F.relu_(self.conv1(x))
        out = self.conv2(out)
        out += x
        return F.relu(out)


class Net(nn.Module):
    def __init__(self, ch=8, n_classes=4):
        super().__init__()
        self.stem = nn.Conv2d(1, ch, 3, padding=1)
        self.block = Residual(ch)
        self.fc = nn.Linear(ch, n_classes)

    def forward(self, x):
        return self.fc(self.block(self.stem(x)).mean(dim=(2, 3)))


def grad_cam(model, x, cls):
    maps = model.block(model.stem(x))
    maps.retain_grad()
    score = model.fc(maps.mean(dim=(2, 3)))[:, cls].sum()
    model.zero_grad()
    score.backward()
    weights = maps.grad.mean(dim=(2, 3), keepdim=True)
    with torch.no_grad():
        cam = (weights * maps).sum(1).relu_()
        cam /= cam.amax(dim=(1, 2), keepdim=True) + 1e-8
    return cam.cpu().numpy()


def hessian_vector(loss, params, vec):
    grads = torch.autograd.grad(loss, params, create_graph=True)
    dot = sum((g * v).sum() for g, v in zip(grads, vec))
    return torch.autograd.grad(dot, params)


def top_eigenvalue(model, x, y, iters=4):
    params = [p for p in model.parameters() if p.requires_grad]
    vec = [torch.randn_like(p) for p in params]
    value = 0.0
    for _ in range(iters):
        norm = torch.sqrt(sum(v.pow(2).sum() for v in vec))
        vec = [v / norm for v in vec]
        hv = hessian_vector(F.cross_entropy(model(x), y), params, vec)
        value = sum((h * v).sum() for h, v in zip(hv, vec)).item()
        vec = list(hv)
    return value


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Net().to(device)
    x = torch.rand(6, 1, 10, 10, device=device)
    y = torch.randint(0, 4, (6,), device=device)
    probe = Probe(model, ["stem", "block.conv2"])
    F.cross_entropy(model(x), y).backward()
    print({k: tuple(v.shape) for k, v in probe.grads.items()}, sorted(probe.acts))
    probe.close()
    print(grad_cam(model, x, 2).shape)
    print("top curvature", top_eigenvalue(model, x, y))


if __name__ == "__main__":
    main()

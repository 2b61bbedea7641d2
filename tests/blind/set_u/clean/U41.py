import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def integrated_gradients(model, x, baseline, target, steps=8):
    alphas = torch.linspace(0, 1, steps, device=x.device)
    total = torch.zeros_like(x)
    for a in alphas:
        point = (baseline + a * (x - baseline)).detach().requires_grad_(True)
        model(point)[:, target].sum().backward()
        total += point.grad
    return (x - baseline) * total / steps


class FlowTrace:
    """Gradient norm that reaches each layer's output."""

    def __init__(self, seq):
        self.outs = {}
        for i, layer in enumerate(seq):
            layer.register_forward_hook(self._hook(i))

    def _hook(self, i):
        def keep(_, __, out):
            if out.requires_grad:
                out.retain_grad()
                self.outs[i] = out
        return keep

    def norms(self):
        return {i: o.grad.norm().item() for i, o in self.outs.items() if o.grad is not None}


net = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 3)).to(device)
trace = FlowTrace(net)
x = torch.randn(4, 8, device=device)
ig = integrated_gradients(net, x, torch.zeros_like(x), target=1)
net.zero_grad()
print(ig.abs().mean(dim=0).cpu().tolist())

x.requires_grad_(True)
score = net(x).pow(2).mean()
hidden = trace.outs[1]
(g_hidden,) = torch.autograd.grad(score, hidden, retain_graph=True)
score.backward()
print(trace.norms())
print(torch.allclose(g_hidden, hidden.grad), x.grad.norm().item())
print([round(p.grad.abs().max().item(), 4) for p in net.parameters()])

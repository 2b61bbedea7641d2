import contextlib
import torch
import torch.nn as nn
import torch.nn.functional as F
from nets import Net


class Tap(contextlib.AbstractContextManager):
    """Collects the outputs of named stages while it is open."""

    def __init__(self, net, which, keep_graph):
        self.net, self.which, self.keep_graph = net, which, keep_graph

    def _hook(self, name):
        def fn(mod, args, out):
            self.out[name] = out if self.keep_graph else out.detach()
        return fn

    def __enter__(self):
        self.out = {}
        self.handles = [self.net.stages[i].register_forward_hook(self._hook(i)) for i in self.which]
        return self.out

    def __exit__(self, *exc):
        for h in self.handles:
            h.remove()


class Distiller:
    def __init__(self, teacher, student, device, t=4.0, w_hint=0.5):
        self.device, self.t, self.w_hint = device, t, w_hint
        self.teacher = teacher.to(device).eval()
        self.teacher.requires_grad_(False)
        self.student = student.to(device)
        self.adapt = nn.Conv2d(6, 12, 1).to(device)
        params = [*self.student.parameters(), *self.adapt.parameters()]
        self.opt = torch.optim.SGD(params, lr=0.05, momentum=0.9, weight_decay=1e-4)

    def soft(self, s, t):
        return F.kl_div(F.log_softmax(s / self.t, -1), F.log_softmax(t / self.t, -1), log_target=True, reduction="batchmean") * self.t ** 2

    def step(self, x, y):
        x, y = x.to(self.device), y.to(self.device)
        with torch.no_grad(), Tap(self.teacher, [1], False) as th:
            t_logits = self.teacher(x)
        with Tap(self.student, [1], True) as sh:
            s_logits = self.student(x)
        hint = F.mse_loss(self.adapt(sh[1]), th[1])
        loss = F.cross_entropy(s_logits, y) + self.soft(s_logits, t_logits) + self.w_hint * hint
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return {"loss": loss.item(), "hint": hint.item()}


if __name__ == "__main__":
    dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    d = Distiller(Net([8, 12]), Net([4, 6]), dev)
    for _ in range(4):
        log = d.step(torch.randn(6, 3, 8, 8), torch.randint(0, 5, (6,)))
    print(log)

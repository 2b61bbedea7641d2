import torch


class Adapter:
    def __init__(self, extractor, objectives, lr=1e-3):
        self.extractor, self.objectives = extractor, objectives
        params = list(extractor.parameters())
        for obj in objectives.values():
            params += obj.head.parameters()
        self.opt = torch.optim.Adam(params, lr=lr)

    def step(self, xs, y, xt):
        ctx = {"feat_s": self.extractor(xs), "feat_t": self.extractor(xt), "y": y}
        logs = {}
        self.opt.zero_grad()
        for name, objective in self.objectives.items():
            loss = objective(ctx)
            loss.backward()
            logs[name] = loss.item()
        self.opt.step()
        return logs

import copy

import torch


class Callback:
    loop = None


class ClipGrad(Callback):
    def __init__(self, norm):
        self.norm = norm

    def after_backward(self):
        torch.nn.utils.clip_grad_norm_(self.loop.model.parameters(), self.norm)


class EmaCallback(Callback):
    def __init__(self, decay):
        self.decay, self.shadow, self.kept = decay, None, None

    def before_epoch(self):
        if self.shadow is None:
            self.shadow = {k: v.detach().clone() for k, v in self.loop.model.state_dict().items()}
        if not self.loop.train:
            self.kept = copy.deepcopy(self.loop.model.state_dict())
            self.loop.model.load_state_dict(self.shadow)

    def after_step(self):
        for k, v in self.loop.model.state_dict().items():
            self.shadow[k].lerp_(v, 1 - self.decay)

    def after_epoch(self):
        if self.kept is not None:
            self.loop.model.load_state_dict(self.kept)
            self.kept = None


class History(Callback):
    def __init__(self):
        self.rows = []

    def before_epoch(self):
        self.total, self.n = 0.0, 0

    def after_batch(self):
        self.total = self.total + self.loop.loss.detach() * len(self.loop.x)
        self.n += len(self.loop.x)

    def after_epoch(self):
        self.rows.append(("train" if self.loop.train else "valid", float(self.total / self.n)))


class LrFinder(Callback):
    def __init__(self, factor):
        self.factor = factor

    def after_step(self):
        for g in self.loop.opt.param_groups:
            g["lr"] *= self.factor

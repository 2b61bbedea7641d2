from typing import List


class Hook:
    priority = 50

    def before_iter(self, runner):
        pass

    def after_backward(self, runner):
        pass

    def after_iter(self, runner):
        pass


class GradNormHook(Hook):
    """Writes the norm of the gradients to the log buffer."""

    def after_backward(self, runner):
        total = 0.0
        for p in runner.model.parameters():
            if p.grad is not None:
                total += p.grad.norm().item() ** 2
        runner.buffer["grad_norm"] = total ** 0.5
        runner.optimizer.zero_grad()


class LrHook(Hook):
    def __init__(self, gamma=0.95):
        self.gamma = gamma

    def after_iter(self, runner):
        for group in runner.optimizer.param_groups:
            group["lr"] *= self.gamma


class TextLogger(Hook):
    priority = 90

    def __init__(self, every=2):
        self.every = every

    def after_iter(self, runner):
        if runner.iter % self.every == 0:
            print(runner.iter, {k: round(v, 4) for k, v in runner.buffer.items()})


def order(hooks: List[Hook]) -> List[Hook]:
    return sorted(hooks, key=lambda h: h.priority)

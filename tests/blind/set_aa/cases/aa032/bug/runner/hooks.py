class Hook:
    def before_fit(self, runner): ...
    def before_step(self, runner): ...
    def after_step(self, runner): ...


class Placement(Hook):
    """Puts the model and the fields of each batch on one device."""

    def __init__(self, device, fields=("image", "label", "weight")):
        self.device, self.fields = device, fields

    def before_fit(self, runner):
        runner.model.to(self.device)

    def before_step(self, runner):
        for name in self.fields:
            runner.batch[name].to(self.device)


class Printer(Hook):
    def __init__(self, every):
        self.every = every

    def after_step(self, runner):
        if runner.iteration % self.every == 0:
            print(runner.iteration, f"{runner.loss.item():.4f}")


class StepLR(Hook):
    def __init__(self, at, factor):
        self.at, self.factor = set(at), factor

    def after_step(self, runner):
        if runner.iteration in self.at:
            for g in runner.optimizer.param_groups:
                g["lr"] *= self.factor

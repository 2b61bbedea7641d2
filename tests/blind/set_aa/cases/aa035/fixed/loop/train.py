from .events import Bus, Event


class Loop:
    def __init__(self, model, optimizer, loss_fn):
        self.model, self.optimizer, self.loss_fn = model, optimizer, loss_fn
        self.bus = Bus()

    def run(self, loader, device):
        for x in loader:
            x = x.to(device)
            loss = self.loss_fn(self.model(x), x)
            self.bus.fire(Event.FORWARD_DONE, loss.detach())
            loss.backward()
            self.bus.fire(Event.BACKWARD_DONE, self.model)
            self.optimizer.step()
            self.bus.fire(Event.STEP_DONE, self.model)

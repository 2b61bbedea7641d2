import torch


class Loop:
    def __init__(self, model, opt, loss_fn, device, callbacks):
        self.model, self.opt, self.loss_fn, self.device = model, opt, loss_fn, device
        self.callbacks = callbacks
        for cb in callbacks:
            cb.loop = self

    def __call__(self, event):
        for cb in self.callbacks:
            getattr(cb, event, lambda: None)()

    def forward(self):
        self.pred = self.model(self.x)
        self.loss = self.loss_fn(self.pred, self.y)

    def backward(self):
        self.loss.backward()
        self("after_backward")
        self.opt.step()
        self("after_step")
        self.opt.zero_grad()

    def epoch(self, make, train):
        self.train = train
        self.model.train(train)
        self("before_epoch")
        with torch.set_grad_enabled(train):
            for x, y in make():
                self.x, self.y = x.to(self.device), y.to(self.device)
                self.forward()
                if train:
                    self.backward()
                self("after_batch")
        self("after_epoch")

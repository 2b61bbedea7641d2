class Runner:
    def __init__(self, model, criterion, optimizer, hooks):
        self.model, self.criterion, self.optimizer = model, criterion, optimizer
        self.hooks = list(hooks)
        self.iteration = 0

    def call(self, event):
        for hook in self.hooks:
            getattr(hook, event)(self)

    def fit(self, batches):
        self.call("before_fit")
        for self.batch in batches:
            self.call("before_step")
            out = self.model(self.batch["image"])
            self.loss = self.criterion(out, self.batch["label"], self.batch["weight"])
            self.optimizer.zero_grad()
            self.loss.backward()
            self.optimizer.step()
            self.iteration += 1
            self.call("after_step")

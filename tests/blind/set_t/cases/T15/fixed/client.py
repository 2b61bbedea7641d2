import copy
import torch
import torch.nn.functional as F


class Client:
    def __init__(self, name, data, epochs=2, batch=8, lr=0.1):
        self.name = name
        self.x, self.y = data
        self.epochs, self.batch, self.lr = epochs, batch, lr

    def __len__(self):
        return len(self.y)

    def make_optimizer(self, model):
        decay = [p for p in model.parameters() if p.dim() > 1]
        plain = [p for p in model.parameters() if p.dim() <= 1]
        return torch.optim.SGD([{"params": decay, "weight_decay": 1e-4}, {"params": plain}], lr=self.lr)

    def train(self, global_model):
        local = copy.deepcopy(global_model)
        optimizer = self.make_optimizer(local)
        local.train()
        for _ in range(self.epochs):
            for idx in torch.randperm(len(self)).split(self.batch):
                loss = F.cross_entropy(local(self.x[idx]), self.y[idx])
                local.zero_grad()
                loss.backward()
                optimizer.step()
        return local.state_dict(), len(self)

import torch


class EMA:
    def __init__(self, model, decay=0.995):
        self.decay = decay
        self.shadow = {k: v.detach().clone() for k, v in model.named_parameters()}
        self.backup = {}

    @torch.no_grad()
    def update(self, model):
        for k, v in model.named_parameters():
            self.shadow[k].mul_(self.decay).add_(v, alpha=1 - self.decay)

    def apply_to(self, model):
        self.backup = {k: v.detach().clone() for k, v in model.named_parameters()}
        with torch.no_grad():
            for k, v in model.named_parameters():
                v.copy_(self.shadow[k])

    def restore(self, model):
        with torch.no_grad():
            for k, v in model.named_parameters():
                v.copy_(self.backup[k])
        self.backup = {}

import copy

import torch
import torch.nn.functional as F

from vit import ViT


class BestKeeper:
    """Holds the best model seen so far in memory."""

    def __init__(self):
        self.score, self.model = float("-inf"), None

    def offer(self, model, score):
        if score > self.score:
            self.score = score
            self.model = copy.deepcopy(model)
        return self.model


def main(epochs=2):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = ViT().to(device)
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
    keeper = BestKeeper()
    for epoch in range(epochs):
        net.train()
        hits, seen = 0, 0
        for _ in range(3):
            img, y = torch.randn(6, 3, 16, 16, device=device), torch.randint(0, 5, (6,), device=device)
            logits = net(img)
            loss = F.cross_entropy(logits, y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            hits += (logits.argmax(1) == y).sum().item()
            seen += len(y)
        keeper.offer(net, hits / seen)
    print(keeper.score, tuple(keeper.model.attention_rollout().shape))


if __name__ == "__main__":
    main()

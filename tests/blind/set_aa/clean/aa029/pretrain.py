import torch
import torch.nn.functional as F

from byol.augment import jitter
from byol.ema import Momentum
from byol.nets import make_encoder, make_predictor


def regress(p, z):
    return 2 - 2 * F.cosine_similarity(p, z, dim=-1).mean()


def main(steps=3):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    online, predictor = make_encoder().to(device), make_predictor().to(device)
    slow = Momentum(online, total=steps)
    opt = torch.optim.SGD([*online.parameters(), *predictor.parameters()], lr=0.05, momentum=0.9)
    for step in range(steps):
        x = torch.randn(6, 1, 12, 12).to(device)
        a, b = jitter(x), jitter(x)
        loss = regress(predictor(online(a)), slow(b)) + regress(predictor(online(b)), slow(a))
        opt.zero_grad()
        loss.backward()
        opt.step()
        slow.step(online)
        print(step, loss.item(), slow.tau)


main()

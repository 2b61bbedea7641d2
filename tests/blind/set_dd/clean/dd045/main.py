import torch
import torch.nn.functional as F

from pipeline import TwoStageResNet
from placement import pick_stages


def main(steps=3):
    first, second = pick_stages(2)
    model = TwoStageResNet(first, second)
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for step in range(steps):
        x = torch.randn(8, 3, 12, 12)
        y = torch.randint(0, 6, (8,))
        out = model(x)
        loss = F.cross_entropy(out, y.to(out.device))
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())
    model.eval()
    with torch.no_grad():
        pred = model(torch.randn(4, 3, 12, 12)).argmax(1)
    print(pred.tolist())


if __name__ == "__main__":
    main()

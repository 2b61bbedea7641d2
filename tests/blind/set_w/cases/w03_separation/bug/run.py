import torch
from torch.utils.data import DataLoader
from data import Mixtures, to_device
from separator import ConvSep, masked_l1

CFG = dict(lr=2e-3, bs=4, device="cuda" if torch.cuda.is_available() else "cpu")


def fit(cfg):
    net = ConvSep().to(cfg["device"])
    opt = torch.optim.Adam(net.parameters(), lr=cfg["lr"])
    for batch in DataLoader(Mixtures(), cfg["bs"], shuffle=True):
        batch = to_device(batch, cfg["device"])
        est = net(batch["mix"])
        loss = masked_l1(est, batch["sources"], batch["frames"])
        opt.zero_grad()
        loss.backward()
        opt.step()
    return net


if __name__ == "__main__":
    fit(CFG)

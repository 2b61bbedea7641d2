import torch
import torch.nn.functional as F

from options import Options
from reid.losses import BatchHardTriplet, CenterLoss
from reid.network import ReIDNet


def pk_batch(classes, p=3, k=4):
    pid = torch.randperm(classes)[:p].repeat_interleave(k)
    return torch.rand(p * k, 3, 16, 8) + pid[:, None, None, None] * 0.1, pid


opt = Options().parse()
net = ReIDNet(opt.classes).to(opt.device)
triplet = BatchHardTriplet(opt.margin)
center = CenterLoss(opt.classes, net.dim).to(opt.device)
optimizer = torch.optim.Adam(net.parameters(), lr=3e-4)
optimizer_center = torch.optim.SGD(center.parameters(), lr=0.5)
for it in range(opt.niter):
    img, pid = (t.to(opt.device) for t in pk_batch(opt.classes))
    feat, logits = net(img)
    loss = F.cross_entropy(logits, pid) + triplet(feat, pid) + opt.lambda_center * center(feat, pid)
    optimizer.zero_grad()
    optimizer_center.zero_grad()
    loss.backward()
    for p in center.parameters():
        p.grad.mul_(1 / opt.lambda_center)
    optimizer.step()
    optimizer_center.step()
    print(it, loss.item())

# ptychography-like phase retrieval with alternating momentum, notebook export
import torch
import torch.nn.functional as F

torch.manual_seed(1)
dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
n, patch, stride = 20, 8, 4

# ground truth
amplitude = F.interpolate(torch.rand(1, 1, 5, 5), size=(n, n), mode="bilinear", align_corners=False)[0, 0]
mask = torch.hann_window(patch, periodic=False).outer(torch.hann_window(patch, periodic=False))
mask = mask.to(dev)
truth = amplitude.to(dev)
patches = truth.unfold(0, patch, stride).unfold(1, patch, stride).reshape(-1, patch, patch)
blur = torch.ones(1, 1, 3, 3, device=dev) / 9
measured = F.conv2d((patches * mask).square()[:, None], blur, padding=1)

# unknowns: the object and one gain per measurement
obj = (0.5 * torch.ones(n, n, device=dev)).requires_grad_()
gain = torch.ones(len(measured), 1, 1, 1, device=dev).requires_grad_()
velocity = torch.zeros_like(obj)

for it in range(12):
    view = obj.unfold(0, patch, stride).unfold(1, patch, stride).reshape(-1, patch, patch)
    pred = gain * F.conv2d((view * mask).square()[:, None], blur, padding=1)
    misfit = (pred - measured).square().sum()
    smooth = (obj[1:] - obj[:-1]).square().sum() + (obj[:, 1:] - obj[:, :-1]).square().sum()
    g_obj, g_gain = torch.autograd.grad(misfit + 0.01 * smooth, (obj, gain))
    with torch.no_grad():
        velocity.mul_(0.8).sub_(g_obj, alpha=0.2)
        obj += velocity
        obj.clamp_(0, 1)
        gain -= 0.01 * g_gain
        gain /= gain.mean()
    if it % 6 == 0:
        print(it, misfit.item())

recovered = obj.detach().cpu().numpy()
print("relative error", float(((obj.detach() - truth).norm() / truth.norm()).cpu()), recovered.shape)

# how sensitive is each measurement to the centre pixel?
probe = obj.detach().clone().requires_grad_()
view = probe.unfold(0, patch, stride).unfold(1, patch, stride).reshape(-1, patch, patch)
pred = F.conv2d((view * mask).square()[:, None], blur, padding=1).sum(dim=(1, 2, 3))
rows = []
for i in range(len(pred)):
    (g,) = torch.autograd.grad(pred[i], probe, retain_graph=i < len(pred) - 1)
    rows.append(g[n // 2, n // 2])
rows = torch.stack(rows).cpu()
print("measurements that see the centre:", (rows.abs() > 1e-6).sum().item(), "of", len(rows))

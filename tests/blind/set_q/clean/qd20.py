import torch


def rodrigues(r):
    theta = r.norm(dim=-1, keepdim=True).clamp(min=1e-8)
    k = r / theta
    K = torch.zeros(*r.shape[:-1], 3, 3, device=r.device, dtype=r.dtype)
    K[..., 0, 1], K[..., 0, 2] = -k[..., 2], k[..., 1]
    K[..., 1, 0], K[..., 1, 2] = k[..., 2], -k[..., 0]
    K[..., 2, 0], K[..., 2, 1] = -k[..., 1], k[..., 0]
    t = theta.unsqueeze(-1)
    return torch.eye(3, device=r.device, dtype=r.dtype) + t.sin() * K + (1 - t.cos()) * (K @ K)


def project(points, rvec, tvec, f):
    cam = points @ rodrigues(rvec).transpose(-1, -2) + tvec.unsqueeze(-2)
    return f * cam[..., :2] / cam[..., 2:]


class BundleAdjust:
    def __init__(self, obs, visible, n_points):
        dev, dt = obs.device, obs.dtype
        self.obs, self.visible = obs, visible
        n = len(obs)
        self.rvec = (0.01 * torch.randn(n, 3, dtype=dt, device=dev)).requires_grad_()
        self.tvec = torch.tensor([0.0, 0.0, 5.0], dtype=dt, device=dev).repeat(n, 1).requires_grad_()
        self.points = torch.randn(n_points, 3, dtype=dt, device=dev, requires_grad=True)
        self.log_f = torch.zeros((), dtype=dt, device=dev, requires_grad=True)

    @property
    def variables(self):
        return [self.rvec, self.tvec, self.points, self.log_f]

    def residual(self):
        err = project(self.points, self.rvec, self.tvec, self.log_f.exp()) - self.obs
        return err[self.visible]

    def solve(self, rounds=3):
        opt = torch.optim.LBFGS(self.variables, max_iter=10, line_search_fn="strong_wolfe")

        def closure():
            opt.zero_grad()
            r = self.residual()
            loss = torch.nn.functional.huber_loss(r, torch.zeros_like(r), delta=0.1)
            loss.backward()
            return loss

        for _ in range(rounds):
            loss = opt.step(closure)
        return loss.detach()

    def covariance_diag(self, damping=1e-3):
        r = self.residual().flatten()
        rows = []
        for i in range(0, len(r), 7):
            g = torch.autograd.grad(r[i], [self.rvec, self.tvec], retain_graph=True)
            rows.append(torch.cat([t.flatten() for t in g]))
        J = torch.stack(rows)
        H = J.t() @ J + damping * torch.eye(J.shape[1], device=J.device, dtype=J.dtype)
        return torch.linalg.inv(H).diagonal()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    pts = torch.randn(15, 3, dtype=torch.float64)
    rv = 0.2 * torch.randn(4, 3, dtype=torch.float64)
    tv = torch.tensor([0.0, 0.0, 6.0], dtype=torch.float64).expand(4, 3)
    obs = project(pts, rv, tv, 1.2)
    visible = torch.rand(4, 15) < 0.9
    ba = BundleAdjust(obs.to(device), visible.to(device), 15)
    print(ba.solve().item(), ba.covariance_diag().cpu().numpy().max())


if __name__ == "__main__":
    main()

# Variational matrix completion, exploratory notebook
# In[1]:
import math
import torch
import torch.nn.functional as F

torch.manual_seed(0)
rows, cols, rank = 40, 30, 3
truth = torch.randn(rows, rank) @ torch.randn(rank, cols)
mask = torch.rand(rows, cols) < 0.4
held_out = ~mask & (torch.rand(rows, cols) < 0.2)
noisy = truth + 0.1 * torch.randn_like(truth)

# In[2]: mean-field posterior over both factors
k = 5
u_mu = (0.1 * torch.randn(rows, k)).requires_grad_()
v_mu = (0.1 * torch.randn(cols, k)).requires_grad_()
u_rho = torch.full((rows, k), -3.0, requires_grad=True)
v_rho = torch.full((cols, k), -3.0, requires_grad=True)
log_prec = torch.zeros(k, requires_grad=True)
variables = [u_mu, v_mu, u_rho, v_rho, log_prec]
optimizer = torch.optim.Adam(variables, lr=0.03)

# In[3]: stochastic variational inference
history = {"elbo": [], "kl": [], "rmse": []}
for it in range(40):
    u_std, v_std = F.softplus(u_rho), F.softplus(v_rho)
    u = u_mu + u_std * torch.randn_like(u_std)
    v = v_mu + v_std * torch.randn_like(v_std)
    residual = (noisy - u @ v.t())[mask]
    log_lik = -0.5 * (residual / 0.1).square().sum() - residual.numel() * math.log(0.1)
    prec = log_prec.exp()
    kl_u = 0.5 * (prec * (u_std ** 2 + u_mu ** 2) - 1 - log_prec).sum() - u_std.log().sum()
    kl_v = 0.5 * (v_std ** 2 + v_mu ** 2 - 1).sum() - v_std.log().sum()
    kl = kl_u + kl_v
    elbo = log_lik - min(1.0, it / 20) * kl
    optimizer.zero_grad()
    (-elbo / mask.sum()).backward()
    optimizer.step()
    with torch.no_grad():
        error = (u_mu @ v_mu.t() - truth)[held_out]
    history["elbo"].append(elbo.item())
    history["kl"].append(kl)
    history["rmse"].append(error.square().mean().sqrt().item())

# In[4]: report
for name, values in history.items():
    last = [float(x) for x in values[-3:]]
    print(name, [round(x, 3) for x in last])

# In[5]: which directions survived
with torch.no_grad():
    relevance = (u_mu.square().mean(0) * v_mu.square().mean(0)).sqrt()
    order = relevance.argsort(descending=True)
    print("relevance", relevance[order].tolist())
    print("precision", log_prec.exp()[order].tolist())

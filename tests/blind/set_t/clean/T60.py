# %% electricity load: seq2seq with scheduled sampling
import numpy as np
import torch
import torch.nn as nn

torch.manual_seed(0)
rng = np.random.default_rng(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

# %% data
hours = np.arange(600)
load = np.sin(hours * 2 * np.pi / 24) + 0.3 * np.sin(hours * 2 * np.pi / 168) + 0.1 * rng.standard_normal(600)
mean, std = load[:400].mean(), load[:400].std()
series = torch.from_numpy(((load - mean) / std).astype(np.float32))
windows = series.unfold(0, 36, 3)
past, future = windows[:, :24].unsqueeze(-1), windows[:, 24:].unsqueeze(-1)
n_train = int(len(past) * 0.8)

# %% model
encoder = nn.GRU(1, 24, batch_first=True).to(device)
cell = nn.GRUCell(1, 24).to(device)
readout = nn.Linear(24, 1).to(device)
params = list(encoder.parameters()) + list(cell.parameters()) + list(readout.parameters())
opt = torch.optim.Adam(params, lr=5e-3)
sched = torch.optim.lr_scheduler.ExponentialLR(opt, 0.9)

# %% training
for epoch in range(3):
    teacher = 1.0 - epoch / 3
    for idx in torch.randperm(n_train).split(32):
        x, y = past[idx].to(device), future[idx].to(device)
        _, h = encoder(x)
        h = h[0]
        step = x[:, -1]
        preds = []
        for t in range(y.size(1)):
            h = cell(step, h)
            out = step + readout(h)
            preds.append(out)
            step = y[:, t] if rng.random() < teacher else out.detach()
        loss = (torch.stack(preds, 1) - y).abs().mean()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(params, 1.0)
        opt.step()
    sched.step()
    print(epoch, loss.item())

# %% test
with torch.no_grad():
    _, h = encoder(past[n_train:].to(device))
    h, step = h[0], past[n_train:, -1].to(device)
    preds = []
    for _ in range(future.size(1)):
        h = cell(step, h)
        step = step + readout(h)
        preds.append(step)
forecast = torch.stack(preds, 1).cpu().numpy() * std + mean
truth = future[n_train:].numpy() * std + mean
print("MAE", np.abs(forecast - truth).mean())

import torch
import torch.nn.functional as F

from nets import Decoder, Encoder, kl, sample

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
enc, dec = Encoder(12, 3).to(device), Decoder(3, 12).to(device)
opt_enc = torch.optim.Adam(enc.parameters(), lr=1e-3)
opt_dec = torch.optim.Adam(dec.parameters(), lr=1e-3)
log = {"kl": [], "rec": [], "prior_share": []}

for step in range(5):
    x = torch.randn(20, 12, device=device)
    mu, logvar = enc(x)
    prior = kl(mu, logvar)
    rec = F.mse_loss(dec(sample(mu, logvar)), x)

    opt_enc.zero_grad()
    opt_dec.zero_grad()
    prior.backward(retain_graph=True)
    share = enc.mu.weight.grad.norm().item()
    rec.backward()
    opt_enc.step()
    opt_dec.step()

    log["kl"].append(prior.item())
    log["rec"].append(rec.item())
    log["prior_share"].append(share)

    dreamt = dec(torch.randn(20, 3, device=device))
    spread = -dreamt.var(dim=0).mean()
    opt_dec.zero_grad()
    spread.backward()
    opt_dec.step()

print({k: round(sum(v) / len(v), 4) for k, v in log.items()})

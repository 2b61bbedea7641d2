# Calibrating an SIR epidemic model to case counts
import torch

torch.manual_seed(0)
days = 40
population = 1000.0


def simulate(rates, start):
    s, i, r = population - start, start, torch.zeros(())
    infected = []
    for _ in range(days):
        new = rates["beta"] * s * i / population
        gone = rates["gamma"] * i
        s, i, r = s - new, i + new - gone, r + gone
        infected.append(i)
    return torch.stack(infected)


true = {"beta": torch.tensor(0.4), "gamma": torch.tensor(0.15)}
with torch.no_grad():
    observed = simulate(true, torch.tensor(5.0))
    observed = observed * (1 + 0.05 * torch.randn(days))

log_rates = {
    "beta": torch.tensor(0.25).log().requires_grad_(),
    "gamma": torch.tensor(0.25).log().requires_grad_(),
}
start = torch.tensor(2.0)
step_size = {"beta": 0.02, "gamma": 0.02}
history = []

for it in range(10):
    rates = {name: value.exp() for name, value in log_rates.items()}
    fitted = simulate(rates, start)
    loss = ((fitted.clamp(min=1e-3).log() - observed.clamp(min=1e-3).log()) ** 2).mean()
    for value in log_rates.values():
        value.grad = None
    loss.backward()
    history.append(loss.item())
    with torch.no_grad():
        log_rates = {name: value - step_size[name] * value.grad for name, value in log_rates.items()}

print("loss", history[0], "->", history[-1])
estimate = {name: round(value.exp().item(), 3) for name, value in log_rates.items()}
print(estimate, "reproduction number", round(estimate["beta"] / estimate["gamma"], 2))

# how far could the rates move before the fit gets visibly worse?
with torch.no_grad():
    base = {name: value.exp() for name, value in log_rates.items()}
    for name in base:
        for factor in (0.9, 1.1):
            changed = dict(base, **{name: base[name] * factor})
            curve = simulate(changed, start)
            worse = ((curve.clamp(min=1e-3).log() - observed.clamp(min=1e-3).log()) ** 2).mean()
            peak = curve.argmax().item()
            print(f"{name} x {factor}: loss {worse.item():.4f}, peak on day {peak}")

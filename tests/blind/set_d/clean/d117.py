import torch


def fit(model, x):
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=5)
    history = []

    def closure():
        optimizer.zero_grad()
        loss = (model(x) - 1).pow(2).mean()
        loss.backward()
        history.append(float(loss.detach()))
        return loss

    optimizer.step(closure)
    return history

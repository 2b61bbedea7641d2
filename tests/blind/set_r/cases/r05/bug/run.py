import argparse

import torch

from modeling import Config, TinyLM, count_parameters, sized_model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--layers", type=int, default=2)
    args = parser.parse_args()
    cfg = Config(layers=args.layers)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    weights = TinyLM(cfg).state_dict()
    model = sized_model(cfg).to(device)
    model.load_state_dict(weights)
    model.eval()
    print(count_parameters(model), "parameters")
    ids = torch.randint(0, cfg.vocab, (2, 8), device=device)
    with torch.inference_mode():
        print(model(ids).shape)


if __name__ == "__main__":
    main()

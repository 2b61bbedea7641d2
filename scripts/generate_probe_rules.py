"""Write which torch kernels insist on one device, for the stand-in accelerator.

    python scripts/generate_probe_rules.py [--check]

Source: `native_functions.yaml`, which the torch wheel ships for its own code generator. A kernel has the check
"all tensors on the same device, argument by argument" when its `device_check` is ExactSame *and* the code generator
writes a CUDA wrapper for it; composite functions carry the field too, but no check is ever generated for them.
Needs torch and PyYAML.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import torch
import torchgen
from torchgen.gen import get_grouped_native_functions, parse_native_yaml
from torchgen.model import DeviceCheckType, DispatchKey, NativeFunctionsGroup

TARGET = Path(__file__).parent.parent / "server" / "devls" / "probe" / "data" / "device_checks.json"


def device_checks() -> dict[str, object]:
    """The names (with overload) of checked kernels; structured ones are named differently in messages."""
    native = Path(torchgen.__file__).parent / "packaged" / "ATen" / "native"
    parsed = parse_native_yaml(str(native / "native_functions.yaml"), str(native / "tags.yaml"))
    kernels = parsed.backend_indices[DispatchKey.CUDA]
    structured, plain = set[str](), set[str]()
    for group in get_grouped_native_functions(parsed.native_functions):
        is_group = isinstance(group, NativeFunctionsGroup)
        is_structured = is_group and group.structured
        for function in group.functions() if is_group else [group]:
            has_kernel = kernels.has_kernel(function) or (is_structured and kernels.has_kernel(group))
            if (
                has_kernel
                and not function.has_composite_implicit_autograd_kernel
                and function.device_check == DeviceCheckType.ExactSame
            ):
                (structured if is_structured else plain).add(str(function.func.name))
    return {
        "torch": torch.__version__.split("+")[0],
        "structured": sorted(structured),
        "plain": sorted(plain),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="fail if the file is out of date")
    wanted = json.dumps(device_checks(), indent=0) + "\n"
    if parser.parse_args().check:
        fresh = TARGET.exists() and TARGET.read_text(encoding="utf-8") == wanted
        print("up to date" if fresh else f"out of date: {TARGET}")
        return 0 if fresh else 1
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(wanted, encoding="utf-8")
    print(f"wrote {TARGET}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

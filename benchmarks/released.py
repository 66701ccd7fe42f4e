"""Programs of others for the same numbers, used if they are installed."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

#: The folder of data, beside the repository or named by BIASAMP_DATA.
_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"

#: Trials of flips and attackers that one call of the peer averages, as it does by default.
_TRIALS = 10


def w21() -> Callable[..., tuple[float, float]] | None:
    """BA-> of both directions by the code released with [W21], if ``BIASAMP_W21`` is its file."""
    path = os.environ.get("BIASAMP_W21")
    if path is None:
        return None
    spec = importlib.util.spec_from_file_location("directional_biasamp", path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def both(truth: Any, predicted: Any, group: Any, guess: Any) -> tuple[float, float]:
        groups, guesses = (np.stack([1 - each, each], axis=1) for each in (group, guess))
        return (
            float(module.biasamp_attribute_to_task(truth, groups, predicted)),
            float(module.biasamp_task_to_attribute(truth, groups, guesses)),
        )

    return both


def data_home() -> Path:
    """The folder of data."""
    return Path(os.environ.get("BIASAMP_DATA", _DATA))


def compas() -> pd.DataFrame:
    """The 5,278 COMPAS rows of the papers with T, A and a tree's predictions of both.

    Raises
    ------
    FileNotFoundError
        If the data are not there.
    """
    from sklearn.tree import DecisionTreeClassifier

    frame = pd.read_csv(data_home() / "compas-scores-two-years.csv.gz", keep_default_na=False)
    days = pd.to_numeric(frame["days_b_screening_arrest"])
    keep = days.abs().le(30) & frame["is_recid"].ne(-1)
    keep &= frame["c_charge_degree"].ne("O") & frame["score_text"].ne("N/A")
    frame = frame[keep & frame["race"].isin(["Caucasian", "African-American"])]
    features = ["age", "juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count"]
    x = frame[features].to_numpy()
    out = {
        "T": frame["is_recid"].to_numpy(),
        "A": frame["race"].eq("African-American").to_numpy().astype(int),
    }
    for name in ("T", "A"):
        tree = DecisionTreeClassifier(random_state=0).fit(x, out[name])
        out[f"{name}_pred"] = tree.predict(x)
    return pd.DataFrame(out)


def coco(model: str = "baseline_ft") -> tuple[Any, Any, Any, Any]:
    """Objects and gender of COCO images, true and as the captions of a model name them.

    The objects are those of the papers that the labels hold, 65 columns; captions that name no
    gender are left out.

    Raises
    ------
    FileNotFoundError
        If the data are not there.
    """
    folder = Path(os.environ.get("BIASAMP_DATA", _DATA))
    images, captions, objects = (
        pd.read_csv(folder / name, keep_default_na=False)
        for name in ("coco_labels.csv.gz", "coco_caption_predictions.csv.gz", "coco_objects.csv")
    )
    captions = captions[(captions["model"] == model) & captions["gender_pred"].ne("")]
    images = images.set_index("image_id").loc[captions["image_id"]]
    held = set().union(*images["objects"].str.split("|"))
    names = [name for name in objects.query("in_66 == 1")["object"] if name in held]
    truth, predicted = (
        lists.str.get_dummies("|").reindex(columns=names, fill_value=0).to_numpy(np.int8).copy("C")
        for lists in (images["objects"], captions["objects_pred"])
    )
    genders = images["gender"], captions["gender_pred"]
    return truth, predicted, *(x.eq("woman").to_numpy().astype(int) for x in genders)


def trained_dpa(known: Any, true: Any, made: Any, mode: str, seed: int) -> float:
    """DPA of the package bias-amplification with attackers of the size that [T25] gives COMPAS.

    Raises
    ------
    ImportError
        If the package or torch is not installed.
    """
    import torch
    from bias_amplification.attacker_models import simpleDenseModel
    from bias_amplification.metrics import DPA

    # One thread trains such small networks faster than two.
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    np.random.seed(seed)  # noqa: NPY002  The peer's split of rows draws from it.
    attackers = [simpleDenseModel(1, 1, 2, 4, ["sigmoid", "sigmoid"]) for _ in range(2)]
    peer = DPA(
        *attackers,
        train_params={
            "learning_rate": 0.005,
            "loss_function": "bce",
            "epochs": 50,
            "batch_size": 512,
        },
        eval_metric="bce",
        threshold=False,
    )
    tensors = [torch.tensor(x, dtype=torch.float).reshape(-1, 1) for x in (known, true, made)]
    # It prints every trial, and returns a text such as "0.0234 ± 0.0050".
    with contextlib.redirect_stdout(io.StringIO()):
        text = peer.computeBiasAmp(*tensors, mode=mode, num_trials=_TRIALS)
    return float(text.split()[0])

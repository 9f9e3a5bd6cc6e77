"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const get = (id) => document.getElementById(id);
const keys = Object.keys(data.series).map((key) => key.split("|"));
const distinct = (values) => [...new Set(values)];
const byValue = (values) => distinct(values).sort((x, y) => Number(x) - Number(y));
const first = { K: String(data.first.K), a: String(Number(data.first.a)) };
const words = { open_source_model: "an open-source model", old_api_confidence: "the API's confidence in 2020", none: "chance" };
const layout = { margin: { l: 62, r: 12, t: 30, b: 44 }, font: { size: 12 }, hovermode: "closest", legend: { orientation: "h", y: -0.22 } };
const settings = { displaylogo: false, responsive: true, modeBarButtonsToRemove: ["select2d", "lasso2d"] };

function fill(id, values, chosen, shown = (value) => value) {
  get(id).replaceChildren(...values.map((value) => new Option(shown(value), value, false, value === chosen)));
}

function fillControls() {
  const masa = keys.filter((key) => key[1] === "masa");
  fill("case", Object.keys(data.cases), null, (name) => data.cases[name].title);
  fill("difficulty", distinct(keys.map((key) => key[4])), data.first.difficulty, (name) => words[name] ?? name);
  fill("K", byValue(masa.map((key) => key[2])), first.K);
  fill("a", byValue(masa.map((key) => key[3])), first.a);
  for (const name of data.samplers) {
    const box = Object.assign(document.createElement("input"), { type: "checkbox", value: name, id: `sampler-${name}`, checked: true });
    const label = document.createElement("label");
    label.style.setProperty("--colour", data.colours[name]);
    label.append(box, ` ${data.names[name]}`);
    get("samplers").append(label);
  }
  get("about").textContent =
    `Queries needed to estimate the shift of an API's confusion matrix from 2020 to 2021. ${data.trials} trials; bands and whiskers are 95% intervals.`;
}

function fillBudgets() {
  const before = get("budget").value;
  const prefix = `${get("case").value}|${get("difficulty").value}|`;
  const budgets = Object.keys(data.shares).filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
  fill("budget", budgets, budgets.includes(before) ? before : budgets.at(-1), (value) => `${Number(value).toLocaleString("en")} queries`);
}

// Only MASA was run at other values than the settings' own, and one at a time: the rest is shown at those.
function chosen() {
  const name = get("case").value;
  return data.samplers
    .filter((sampler) => get(`sampler-${sampler}`).checked)
    .flatMap((sampler) => {
      const wanted = sampler === "masa"
        ? [name, sampler, get("K").value, get("a").value, get("difficulty").value].join("|")
        : keys.find((key) => key[0] === name && key[1] === sampler && key[4] === data.first.difficulty)?.join("|");
      return wanted in data.series ? [{ sampler, key: wanted, series: data.series[wanted] }] : [];
    });
}

function drawErrors() {
  const measure = get("measure").value;
  const traces = chosen().flatMap(({ sampler, series }) => {
    const x = series.mse.map((_, place) => series.first + place * series.step);
    const line = { x, y: series[measure], name: data.names[sampler], mode: "lines", line: { color: data.colours[sampler], dash: sampler === "oracle" ? "dash" : "solid" }, hovertemplate: "%{x:,} queries: %{y:.3g}" };
    if (measure !== "mse") return [line];
    const edge = (sign) => series.mse.map((value, place) => Math.max(value + sign * 1.96 * series.se[place], 1e-12));
    const band = { x: x.concat([...x].reverse()), y: edge(1).concat(edge(-1).reverse()), fill: "toself", mode: "none", fillcolor: data.colours[sampler] + "33", hoverinfo: "skip", showlegend: false };
    return [band, line];
  });
  const title = measure === "mse" ? "mean squared Frobenius error" : "95% quantile of the Frobenius error";
  Plotly.react("errors", traces, { ...layout, xaxis: { title: { text: "queries" }, rangemode: "tozero" }, yaxis: { type: "log", title: { text: title }, exponentformat: "power" } }, settings);
}

function drawSizes() {
  const rows = chosen().map((row) => ({ ...row, size: data.sizes[row.key] ?? [null, null, null] })).reverse();
  const beyond = `over ${data.last.toLocaleString("en")}`;
  const paper = data.cases[get("case").value].paper;
  const label = (row) => data.names[row.sampler];
  const bars = {
    type: "bar", orientation: "h", name: "measured here", showlegend: false,
    y: rows.map(label), x: rows.map(({ size }) => size[0] ?? data.last),
    marker: { color: rows.map((row) => data.colours[row.sampler]), opacity: rows.map(({ size }) => (size[0] === null ? 0.3 : 1)) },
    text: rows.map(({ size }) => (size[0] === null ? beyond : size[0].toLocaleString("en"))), textposition: "inside", insidetextanchor: "start",
    error_x: { type: "data", symmetric: false, array: rows.map(({ size }) => (size[0] === null ? 0 : (size[2] ?? data.last) - size[0])), arrayminus: rows.map(({ size }) => (size[0] === null ? 0 : size[0] - (size[1] ?? size[0]))) },
    hovertemplate: "%{y}: %{text}<extra></extra>",
  };
  const known = rows.filter((row) => paper[row.sampler]);
  const marks = { type: "scatter", mode: "markers", name: "the paper's figure", y: known.map(label), x: known.map((row) => paper[row.sampler]), marker: { symbol: "line-ns", size: 20, line: { width: 3, color: "#000" } } };
  get("size-title").textContent = `Queries needed for an error of ${data.first.target_error} with probability ${data.first.confidence}`;
  Plotly.react("sizes", [bars, marks], { ...layout, margin: { ...layout.margin, l: 220 }, xaxis: { title: { text: "queries" }, rangemode: "tozero" } }, settings);
}

function drawShares() {
  const row = data.shares[`${get("case").value}|${get("difficulty").value}|${get("budget").value}`];
  const bar = (name, values, color, more = {}) => ({ type: "bar", name, x: row.partition, y: values, marker: { color }, hovertemplate: "%{x}: %{y:.1%}", ...more });
  const spread = { type: "data", symmetric: false, array: row?.masa.map((value, place) => row.masa_high[place] - value), arrayminus: row?.masa.map((value, place) => value - row.masa_low[place]), thickness: 1, width: 2 };
  const traces = row ? [
    bar("share of items", row.items, "#bbbbbb"),
    bar("MASA, with nine trials in ten", row.masa, data.colours.masa, { error_y: spread }),
    bar("optimal (Lemma 1)", row.optimal, data.colours.oracle),
  ] : [];
  Plotly.react("shares", traces, { ...layout, barmode: "group", margin: { ...layout.margin, b: 90 }, legend: { orientation: "h", y: -0.45 }, xaxis: { type: "category", title: { text: "true label, difficulty level (1 is the hardest)" }, automargin: true }, yaxis: { tickformat: ".0%", title: { text: "share" } } }, settings);
}

function drawConfusion() {
  const matrix = data.confusion[get("case").value];
  const which = get("matrix").value;
  const z = matrix[which].map((row) => row.map((value) => 100 * value));
  const most = Math.max(...z.flat().map(Math.abs));
  const numbers = z.length * z[0].length <= 150;
  const format = which === "shift" ? "%{z:+.2f}" : "%{z:.2f}";
  const heat = {
    type: "heatmap", z, x: matrix.predicted, y: matrix.labels, xgap: 1, ygap: 1, zmin: which === "shift" ? -most : 0, zmax: most,
    colorscale: which === "shift" ? [[0, "#D55E00"], [0.5, "#ffffff"], [1, "#0072B2"]] : [[0, "#ffffff"], [1, "#0072B2"]],
    hovertemplate: `true %{y}, predicted %{x}: ${format}<extra></extra>`, colorbar: { thickness: 12, ticksuffix: "%" },
    ...(numbers ? { texttemplate: format } : {}),
  };
  Plotly.react("confusion", [heat], { ...layout, margin: { ...layout.margin, l: 90 }, xaxis: { type: "category", title: { text: "predicted label" }, automargin: true, showgrid: false }, yaxis: { type: "category", title: { text: "true label" }, autorange: "reversed", automargin: true, showgrid: false } }, settings);
}

// One of K, a and the source of difficulty differs from the settings at a time.
function keepToWhatWasRun(changed) {
  const usual = { K: first.K, a: first.a, difficulty: data.first.difficulty };
  if (changed in usual && get(changed).value !== usual[changed])
    for (const id of Object.keys(usual)) if (id !== changed) get(id).value = usual[id];
  const name = get("case").value;
  const source = `The answers of 2021 are ${data.cases[name].source}.`;
  const only = ["K", "a", "difficulty"].some((id) => get(id).value !== usual[id])
    ? ` MASA alone is shown at this setting, the other samplers at K=${first.K} by ${words[usual.difficulty] ?? usual.difficulty}; K, a and the source of difficulty were varied one at a time.`
    : "";
  get("note").textContent = source + only;
}

function draw(event) {
  keepToWhatWasRun(event?.target.id ?? "");
  fillBudgets();
  drawErrors();
  drawSizes();
  drawShares();
  drawConfusion();
}

fillControls();
draw();
get("controls").addEventListener("change", draw);

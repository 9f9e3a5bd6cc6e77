# Two papers on spending samples where they tell the most, from recorded predictions to every table and figure.
from snakemake.utils import min_version

min_version("9.10")


configfile: "config/config.yaml"


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"
include: "workflow/rules/shift.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/artefacts.smk"
include: "workflow/rules/bestarm.smk"
include: "workflow/rules/studies.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/explorer.smk"


# The methods beyond the paper are compared on the shipped cases; a user's own case has none of them.
if config["data"]["source"] != "own":

    include: "workflow/rules/beyond.smk"


# A script is an input of its rule, like the modules it calls: snakemake compares inputs by content, scripts by time.
# A download has no input: its checksum says whether it is right, whatever script brought it.
for step in workflow.rules:
    if step.script and step.input:
        step.set_input(script=in_project(f"workflow/scripts/{Path(step.script).name}"))


rule all:
    default_target: True
    input:
        targets,

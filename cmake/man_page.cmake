# cmake -D COMMAND=.../foreflow -D PAGE=.../foreflow.1 -P man_page.cmake: a manual page of what `foreflow --help` says.
foreach(what version help)
  execute_process(COMMAND ${COMMAND} --${what} OUTPUT_VARIABLE ${what} OUTPUT_STRIP_TRAILING_WHITESPACE
                  COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\\" "\\e" ${what} "${${what}}")
  string(REPLACE "-" "\\-" ${what} "${${what}}")
  string(REPLACE "'" "\\(aq" ${what} "${${what}}")
endforeach()
file(WRITE ${PAGE} ".TH FOREFLOW 1 \"\" \"${version}\"
.SH NAME
foreflow \\- predict how distributed deep learning runs on a cluster
.SH SYNOPSIS
.B foreflow
.I COMMAND
[\\fIOPTIONS\\fR]
.SH DESCRIPTION
.nf
${help}
.fi
.SH FILES
.I /usr/share/foreflow
holds scenarios, platforms, workloads and calibrations, with a README in each folder.
.SH EXAMPLE
.nf
foreflow simulate /usr/share/foreflow/scenarios/gpt2_xl_dgx2.json
.fi
")

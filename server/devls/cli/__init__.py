"""The command line.

`arguments` and `check_options` understand what was typed; `main` dispatches; `checking` takes `devls check` from its options to its
exit status (`status`):

- `configuration` looks up the settings of each file, `files` finds the files;
- `check` analyzes them: with `cache`, in several processes (`parallel`), on several machines (`shards`, `dask_workers`), and again when
  they change (`watching`); what crosses a boundary is an `outcomes.Outcome`, made of findings as `stored` writes them; `unchecked` makes findings of what cannot be read or parsed;
- `narrowing` leaves out what a `baseline` holds and what no changed line has a part in (`changes`); `fingerprints` says what a finding is
  known by from one check to the next;
- `fixing` chooses fixes, `ignoring` adds comments, `applying` and `writing` write them;
- `why` and `traceback` answer questions about a line and about an error;
- `report` is what there is to print, `outputs` where it goes, and `formats` has one file for each format.
"""

;;; What somebody does in Emacs: see what is found, take a repair, save.  -*- lexical-binding: t; -*-

;; Environment: SEEN is where to write down, as JSON, what was seen; COMMAND starts the server.

(require 'json)
(require 'pglint-locks)

(defun wait (what condition)
  "Wait until CONDITION holds; WHAT is what is waited for."
  (let ((tries 0))
    (while (not (funcall condition))
      (when (> (setq tries (1+ tries)) 600)
        (error "Waited in vain for %s" what))
      (accept-process-output nil 0.05))))

(defun found ()
  "What Flymake shows: code, type and text of each."
  (mapcar (lambda (each)
            (list (format "%s" (flymake-diagnostic-type each))
                  (buffer-substring-no-properties (flymake-diagnostic-beg each)
                                                  (flymake-diagnostic-end each))
                  (flymake-diagnostic-text each)))
          (flymake-diagnostics)))

(setq pglint-locks-command (append (json-parse-string (getenv "COMMAND")) nil)
      eglot-send-changes-idle-time 0
      eglot-confirm-server-initiated-edits nil
      make-backup-files nil)

(find-file "claim.sql")
(apply #'eglot--connect (eglot--guess-contact))
(flymake-start)                         ; without a window nothing starts it
(wait "diagnostics" #'flymake-diagnostics)
(let ((seen (list (cons 'found (vconcat (mapcar #'vconcat (found)))))))
  (goto-char (point-min))
  (search-forward "FOR UP")
  (let ((hover (jsonrpc-request (eglot-current-server) :textDocument/hover
                                (eglot--TextDocumentPositionParams))))
    (push (cons 'hover (plist-get (plist-get hover :contents) :value)) seen))
  (pglint-locks-fix-all)
  (eglot--signal-textDocument/didChange) ; without input no idle timer runs
  (wait "repaired diagnostics"
        (lambda () (not (seq-find (lambda (each) (string-match-p "does not bound" (nth 2 each)))
                                  (found)))))
  (push (cons 'left (vconcat (mapcar #'vconcat (found)))) seen)
  (save-buffer)
  (pglint-locks-report)
  (push (cons 'report (with-current-buffer "*Locks*" (buffer-string))) seen)
  (with-temp-file (getenv "SEEN") (insert (json-encode seen))))
(eglot-shutdown (eglot-current-server))

;;; pglint-locks.el --- What PostgreSQL's row locks do, by Eglot  -*- lexical-binding: t; -*-

;; Package-Requires: ((emacs "26.3") (eglot "1.9"))
;; License: GPL-3.0-or-later

;;; Commentary:

;; Starts the language server of pglint-locks in SQL buffers:
;;
;;     (add-to-list 'load-path "…/editors/emacs")
;;     (require 'pglint-locks)
;;     (add-hook 'sql-mode-hook #'eglot-ensure)
;;
;; `M-x pglint-locks-report' shows what each locking clause of a buffer locks,
;; `M-x pglint-locks-fix-all' applies all safe repairs.  Eglot starts one server in a buffer;
;; in application code, where another one is at work, use Flymake with `check'.

;;; Code:

(require 'eglot)

(defvar pglint-locks-command '("pglint-locks" "lsp")
  "The language server's command, a list of strings.")

(defvar pglint-locks-modes '(sql-mode)
  "The major modes in which Eglot starts it.")

(dolist (mode pglint-locks-modes)
  (add-to-list 'eglot-server-programs
               (cons mode (lambda (&rest _) pglint-locks-command))))

(defun pglint-locks-fix-all ()
  "Apply all safe repairs of the buffer."
  (interactive)
  (eglot-code-actions (point-min) (point-max) "source.fixAll.pglint-locks" t))

(defun pglint-locks-report ()
  "Show what each locking clause of the buffer locks."
  (interactive)
  (let* ((server (or (eglot-current-server) (user-error "No server is at work here")))
         (uri (funcall (if (fboundp 'eglot-path-to-uri) 'eglot-path-to-uri 'eglot--path-to-uri)
                       (buffer-file-name)))
         (report (jsonrpc-request server :workspace/executeCommand
                                  (list :command "pglint-locks.report"
                                        :arguments (vector uri)))))
    (if (not (stringp report))
        (message "pglint-locks: no report of this file")
      (with-current-buffer (get-buffer-create "*Locks*")
        (let ((inhibit-read-only t))
          (erase-buffer)
          (insert report))
        (goto-char (point-min))
        (if (fboundp 'markdown-view-mode) (markdown-view-mode) (special-mode))
        (display-buffer (current-buffer))))))

(provide 'pglint-locks)
;;; pglint-locks.el ends here
